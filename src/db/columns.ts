import type { Row } from './db.ts'

/**
 * The columns that a statement asks for, each with its type. From one description come the list for
 * the SQL, the type of what is read (`RowOf`), and the readers, which check every value.
 */
export function columns<T extends object>(described: { [K in keyof T]: Column<T[K]> }): Columns<T> {
  const all = Object.entries<Column<unknown>>(described).map(([key, { read, sql }]) => {
    const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    return { key, name, read, listed: sql === undefined ? name : `${sql} as ${name}` }
  })
  const from = (row: Row) =>
    Object.fromEntries(all.map(({ key, name, read }) => [key, read(row[name], name)])) as T
  return {
    list: all.map(({ listed }) => listed).join(', '),
    from,
    first: ([row]) => row && from(row),
    all: (rows) => rows.map(from),
  }
}

export type Columns<T> = {
  list: string
  from: (row: Row) => T
  first: (rows: Row[]) => T | undefined
  all: (rows: Row[]) => T[]
}
export type RowOf<C> = C extends Columns<infer T> ? T : never

/** `sql`: where it is not the column of the same name. */
type Column<T> = { read: (value: unknown, name: string) => T; sql?: string }

export const bool = checked<boolean>((value) => typeof value === 'boolean')
export const int = checked<number>((value) => typeof value === 'number')
export const int8 = checked<bigint>((value) => typeof value === 'bigint')
export const text = checked<string>((value) => typeof value === 'string')
export const texts = checked<string[]>(Array.isArray)
export const time = checked<Date>((value) => value instanceof Date)
export const bytes = checked<Uint8Array>((value) => value instanceof Uint8Array)
/** An int8 that JavaScript's numbers can count. */
export const count = mapped(int8, Number)

/** A text that the table or the statement allows only these values. */
export function oneOf<T extends string>(): Column<T> {
  return checked<T>((value) => typeof value === 'string')
}

/** What our own code has written as JSON. */
export function json<T>(): Column<T> {
  return checked<T>((value) => value !== undefined)
}

/** What our code makes of a value. */
export function mapped<A, B>({ read, ...rest }: Column<A>, change: (value: A) => B): Column<B> {
  return { ...rest, read: (value, name) => change(read(value, name)) }
}

export function orNull<T>({ read, ...rest }: Column<T>): Column<T | null> {
  return { ...rest, read: (value, name) => (value === null ? null : read(value, name)) }
}

/** Null is undefined. */
export function optional<T>({ read, ...rest }: Column<T>): Column<T | undefined> {
  return { ...rest, read: (value, name) => (value === null ? undefined : read(value, name)) }
}

export function as<T>(sql: string, column: Column<T>): Column<T> {
  return { ...column, sql }
}

function checked<T>(is: (value: unknown) => boolean): Column<T> {
  return {
    read(value, name) {
      if (is(value)) return value as T
      throw new TypeError(`The column ${name} has another type than its store says.`)
    },
  }
}
