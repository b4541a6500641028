/** A name in a folder: as processes see it at once, and as the disk has it after an fsync. */
export type Folder<T> = { seen: Map<string, T>; kept: Map<string, T> }

type Place<T> = { folder: Folder<T>; name: string }

/** Given a name, moved, or removed: a change of folders that is not on the disk yet. */
export type NameChange<T> = { node: T; from?: Place<T> | undefined; to?: Place<T> | undefined }

/** Changes of names wait here, in their order, until a folder is synced. */
export function openNames<T>() {
  let waiting: NameChange<T>[] = []
  return {
    change(one: NameChange<T>): void {
      move(one, ({ seen }) => seen)
      waiting.push(one)
    },
    /** Those asked for reach the disk, and those before them that concern the same names. */
    keep(which: (one: NameChange<T>) => boolean): void {
      const chosen = withEarlier(waiting, which)
      for (const one of waiting) if (chosen.has(one)) move(one, ({ kept }) => kept)
      waiting = waiting.filter((one) => !chosen.has(one))
    },
    /** What a folder holds if the first so many also survive, as with a file system that keeps a log. */
    surviving(first: number): (folder: Folder<T>) => Map<string, T> {
      const changed = new Map<Folder<T>, Map<string, T>>()
      const of = (folder: Folder<T>) => {
        if (!changed.has(folder)) changed.set(folder, new Map(folder.kept))
        return changed.get(folder)!
      }
      for (const one of waiting.slice(0, first)) move(one, of)
      return of
    },
  }
}

function move<T>(
  { node, from, to }: NameChange<T>,
  names: (folder: Folder<T>) => Map<string, T>,
): void {
  if (from !== undefined && names(from.folder).get(from.name) === node)
    names(from.folder).delete(from.name)
  if (to !== undefined) names(to.folder).set(to.name, node)
}

function withEarlier<T>(
  waiting: NameChange<T>[],
  which: (one: NameChange<T>) => boolean,
): Set<NameChange<T>> {
  const chosen = new Set<NameChange<T>>()
  const touched = new Map<Folder<T>, Set<string>>()
  for (const one of waiting.toReversed()) {
    const ends = [one.from, one.to].filter((end) => end !== undefined)
    if (!which(one) && !ends.some((end) => touched.get(end.folder)?.has(end.name))) continue
    chosen.add(one)
    for (const { folder, name } of ends)
      touched.set(folder, (touched.get(folder) ?? new Set()).add(name))
  }
  return chosen
}
