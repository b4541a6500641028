import { notFound, type Catalog } from '../../catalog/catalog.ts'
import type { CatalogIndex, CatalogModel } from '../../catalog/catalog-index.ts'

/**
 * Many clients have model names built in: without the maker, with a date, with dashes for dots, or
 * with a wanted context length.
 */
export function findModel(catalog: Catalog, asked: string): CatalogModel {
  const name = asked.replace(WANTED_CONTEXT, '')
  const model = catalog.find(name) ?? plainNames(catalog.index()).get(plainName(name))
  if (model === undefined || model === SEVERAL) throw notFound(asked)
  return model
}

const WANTED_CONTEXT = /\[1m\]$/i
const SEVERAL = 'several'

/** `anthropic/claude-sonnet-4.5` and `claude-sonnet-4-5-20250929` give the same plain name. */
function plainName(id: string): string {
  return id
    .replace(/^anthropic\//, '')
    .replace(/-latest$/, '')
    .replace(/-\d{8}$/, '')
    .replaceAll('.', '-')
}

type PlainNames = ReadonlyMap<string, CatalogModel | typeof SEVERAL>

const known = new WeakMap<CatalogIndex, PlainNames>()

/** Built once for each state of the catalog. */
function plainNames(index: CatalogIndex): PlainNames {
  const made = known.get(index)
  if (made !== undefined) return made
  const names = new Map<string, CatalogModel | typeof SEVERAL>()
  for (const model of index.models) {
    const name = plainName(model.id)
    names.set(name, names.has(name) ? SEVERAL : model)
  }
  known.set(index, names)
  return names
}
