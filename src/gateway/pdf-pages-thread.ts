import { parentPort } from 'node:worker_threads'
import { getDocumentProxy } from 'unpdf'

/** In a thread of its own: parsing is slow, and a hostile file may never end. */
parentPort!.on('message', (bytes: Uint8Array) => {
  countPages(bytes).then(
    (pages) => parentPort!.postMessage(pages, []),
    () => parentPort!.postMessage(undefined, []),
  )
})

async function countPages(bytes: Uint8Array): Promise<number> {
  const document = await getDocumentProxy(bytes, { stopAtErrors: true })
  const pages = document.numPages
  await document.loadingTask.destroy()
  return pages
}
