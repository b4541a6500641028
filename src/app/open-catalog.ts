import { openCatalog } from '../catalog/catalog.ts'
import { syncCatalog, type SyncParts } from '../catalog/sync.ts'
import type { Upstreams } from '../upstream/work.ts'
import type { AppInputs } from './inputs.ts'

/** The catalog, and what brings it up to date. */
export async function openCatalogRoom({ config, db, log, clock }: AppInputs, upstreams: Upstreams) {
  const lists = upstreams.list.map(({ records, ...upstream }) => ({
    ...upstream,
    byHand: records,
  }))
  const catalogSync: SyncParts = {
    db,
    log,
    settings: config,
    upstreams: lists,
    read: async (upstream, signal) => (await upstreams.catalog(upstream, signal)).records,
  }
  const catalog = await openCatalog({ db, log, clock, upstreams: lists })
  // Without a catalog nothing can be served; later readings can wait.
  if (catalog.index().models.length === 0) {
    await syncCatalog(catalogSync)
    await catalog.reload()
  }
  return { catalog, catalogSync }
}
