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
    path: '/app/try/*',
    title: { sw: 'Jaribu', en: 'Playground' },
    source: 'src/pages/app/try/page.tsx',
    load: () => import('./app/try/page.tsx'),
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
