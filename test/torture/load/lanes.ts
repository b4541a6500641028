/** So many at a time, in order. */
export async function inLanes<T>(
  list: readonly T[],
  lanes: number,
  work: (one: T) => Promise<void>,
): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < list.length) await work(list[next++]!)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
