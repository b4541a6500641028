/** Works through the list in order, at most `limit` at a time. */
export async function runInParallel<T>(
  list: readonly T[],
  limit: number,
  work: (one: T) => Promise<void>,
): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < list.length) await work(list[next++]!)
  }
  await Promise.all(Array.from({ length: limit }, worker))
}
