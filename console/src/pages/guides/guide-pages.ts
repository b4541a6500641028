import { page, type Page } from '../page.tsx'

/** The guides, in the order in which the list shows them. */
export const guidePages: Page[] = [
  page({
    path: '/guides',
    title: { sw: 'Miongozo', en: 'Guides' },
    description: {
      sw: 'Jinsi ya kuunganisha programu yako na Mlango.',
      en: 'How to connect your program to Mlango.',
    },
    source: 'src/pages/guides/list-page.tsx',
    load: () => import('./list-page.tsx'),
  }),
]
