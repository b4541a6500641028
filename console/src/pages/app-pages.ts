import { page, type Page } from './page.tsx'

/** Pages for those who are signed in. */
export const appPages: Page[] = [
  page({
    path: '/app',
    title: { sw: 'Muhtasari', en: 'Overview' },
    source: 'src/pages/app/overview/page.tsx',
    load: () => import('./app/overview/page.tsx'),
  }),
  page({
    path: '/app/try/voice',
    title: { sw: 'Jaribu sauti', en: 'Try voice' },
    source: 'src/pages/app/try/voice/page.tsx',
    load: () => import('./app/try/voice/page.tsx'),
  }),
  page({
    path: '/app/try/image',
    title: { sw: 'Jaribu picha', en: 'Try pictures' },
    source: 'src/pages/app/try/image/page.tsx',
    load: () => import('./app/try/image/page.tsx'),
  }),
  page({
    path: '/app/try/document',
    title: { sw: 'Jaribu kusoma faili', en: 'Try reading a file' },
    source: 'src/pages/app/try/document/page.tsx',
    load: () => import('./app/try/document/page.tsx'),
  }),
  page({
    path: '/app/try/video',
    title: { sw: 'Jaribu video', en: 'Try video' },
    source: 'src/pages/app/try/video/page.tsx',
    load: () => import('./app/try/video/page.tsx'),
  }),
  page({
    path: '/app/try/embeddings',
    title: { sw: 'Jaribu vekta', en: 'Try embeddings' },
    source: 'src/pages/app/try/embeddings/page.tsx',
    load: () => import('./app/try/embeddings/page.tsx'),
  }),
  page({
    path: '/app/try/*',
    title: { sw: 'Jaribu', en: 'Playground' },
    source: 'src/pages/app/try/chat/page.tsx',
    load: () => import('./app/try/chat/page.tsx'),
  }),
  page({
    path: '/app/keys',
    title: { sw: 'Funguo za API', en: 'API keys' },
    source: 'src/pages/app/keys/page.tsx',
    load: () => import('./app/keys/page.tsx'),
  }),
  page({
    path: '/app/activity',
    title: { sw: 'Matumizi', en: 'Activity' },
    source: 'src/pages/app/activity/page.tsx',
    load: () => import('./app/activity/page.tsx'),
  }),
  page({
    path: '/app/billing/*',
    title: { sw: 'Malipo', en: 'Billing' },
    source: 'src/pages/app/billing/page.tsx',
    load: () => import('./app/billing/page.tsx'),
  }),
  page({
    path: '/app/notices',
    title: { sw: 'Taarifa', en: 'Notices' },
    source: 'src/pages/app/notices/page.tsx',
    load: () => import('./app/notices/page.tsx'),
  }),
  page({
    path: '/app/settings/*',
    title: { sw: 'Mipangilio', en: 'Settings' },
    source: 'src/pages/app/settings/page.tsx',
    load: () => import('./app/settings/page.tsx'),
  }),
]

/** Loaded only by those who go there: customers download none of it. */
export const operatorArea: Page = page({
  path: '/operator/*',
  title: { sw: 'Mlango', en: 'Mlango' },
  writesTitles: true,
  source: 'src/pages/operator/area.tsx',
  load: () => import('./operator/area.tsx'),
})
