import { createRoot, hydrateRoot } from 'react-dom/client'
import { App, pageAt } from './app.tsx'
import { newQueryClient } from './client/use-ask.ts'
import './style/main.css'

/** Public pages are HTML already and are hydrated; the account's pages are rendered here. */
const root = document.getElementById('root')!
const language = document.documentElement.lang === 'en' ? 'en' : 'sw'
const app = <App language={language} client={newQueryClient()} />
await pageAt(location.pathname).page.preload()
if (root.hasChildNodes()) hydrateRoot(root, app)
else createRoot(root).render(app)
