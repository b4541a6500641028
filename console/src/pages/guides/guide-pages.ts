import { page, type Page } from '../page.tsx'
import { guideOf } from './guides.ts'

/** The guides, and the list of them. */
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
  page({
    path: '/guides/first-call',
    title: guideOf('first-call').title,
    description: guideOf('first-call').description,
    source: 'src/pages/guides/first-call-page.tsx',
    load: () => import('./first-call-page.tsx'),
  }),
  page({
    path: '/guides/streaming',
    title: guideOf('streaming').title,
    description: guideOf('streaming').description,
    source: 'src/pages/guides/streaming-page.tsx',
    load: () => import('./streaming-page.tsx'),
  }),
  page({
    path: '/guides/voice',
    title: guideOf('voice').title,
    description: guideOf('voice').description,
    source: 'src/pages/guides/voice-page.tsx',
    load: () => import('./voice-page.tsx'),
  }),
  page({
    path: '/guides/images-documents',
    title: guideOf('images-documents').title,
    description: guideOf('images-documents').description,
    source: 'src/pages/guides/images-documents-page.tsx',
    load: () => import('./images-documents-page.tsx'),
  }),
  page({
    path: '/guides/video',
    title: guideOf('video').title,
    description: guideOf('video').description,
    source: 'src/pages/guides/video-page.tsx',
    load: () => import('./video-page.tsx'),
  }),
  page({
    path: '/guides/errors',
    title: guideOf('errors').title,
    description: guideOf('errors').description,
    source: 'src/pages/guides/errors-page.tsx',
    load: () => import('./errors-page.tsx'),
  }),
  page({
    path: '/guides/retries',
    title: guideOf('retries').title,
    description: guideOf('retries').description,
    source: 'src/pages/guides/retries-page.tsx',
    load: () => import('./retries-page.tsx'),
  }),
  page({
    path: '/guides/charges',
    title: guideOf('charges').title,
    description: guideOf('charges').description,
    source: 'src/pages/guides/charges-page.tsx',
    load: () => import('./charges-page.tsx'),
  }),
  page({
    path: '/guides/coding-agents',
    title: guideOf('coding-agents').title,
    description: guideOf('coding-agents').description,
    source: 'src/pages/guides/coding-agents-page.tsx',
    load: () => import('./coding-agents-page.tsx'),
  }),
]
