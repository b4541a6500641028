import { guidePages } from './guides/guide-pages.ts'
import { page, type Page } from './page.tsx'

/** Pages for everybody. Each is written as HTML by the build, in both languages. */
export const publicPages: Page[] = [
  page({
    path: '/',
    title: {
      sw: 'Mlango: modeli zote za AI, malipo kwa simu',
      en: 'Mlango: every AI model, paid by phone',
    },
    description: {
      sw: 'Ufunguo mmoja wa modeli nyingi za AI. Lipa kwa M-Pesa, Mixx, Airtel Money au HaloPesa, kwa shilingi.',
      en: 'One key to many AI models. Pay with M-Pesa, Mixx, Airtel Money or HaloPesa, in shillings.',
    },
    source: 'src/pages/landing/page.tsx',
    load: () => import('./landing/page.tsx'),
  }),
  page({
    path: '/models',
    title: { sw: 'Modeli na bei', en: 'Models and prices' },
    description: {
      sw: 'Bei za modeli zote kwa krediti na shilingi: maandishi, sauti, picha na video.',
      en: 'Prices of all models in credits and shillings: text, voice, pictures and video.',
    },
    source: 'src/pages/models/page.tsx',
    load: () => import('./models/page.tsx'),
  }),
  page({
    path: '/status',
    title: { sw: 'Hali ya huduma', en: 'Service status' },
    description: {
      sw: 'Je, huduma inafanya kazi sasa? Saa 24 na siku 90 zilizopita.',
      en: 'Is the service up? Now, the last 24 hours and 90 days.',
    },
    source: 'src/pages/status/page.tsx',
    load: () => import('./status/page.tsx'),
  }),
  page({
    path: '/register',
    title: { sw: 'Fungua akaunti', en: 'Create an account' },
    source: 'src/pages/sign-in/register-page.tsx',
    load: () => import('./sign-in/register-page.tsx'),
  }),
  page({
    path: '/login',
    title: { sw: 'Ingia', en: 'Sign in' },
    source: 'src/pages/sign-in/login-page.tsx',
    load: () => import('./sign-in/login-page.tsx'),
  }),
  page({
    path: '/reset',
    title: { sw: 'Weka nenosiri jipya', en: 'Set a new password' },
    source: 'src/pages/sign-in/reset-page.tsx',
    load: () => import('./sign-in/reset-page.tsx'),
  }),
  page({
    path: '/undo',
    title: { sw: 'Tengua mabadiliko', en: 'Undo a change' },
    source: 'src/pages/sign-in/undo-page.tsx',
    load: () => import('./sign-in/undo-page.tsx'),
  }),
  page({
    path: '/auth/callback',
    title: { sw: 'Unaingia', en: 'Signing in' },
    source: 'src/pages/sign-in/callback-page.tsx',
    load: () => import('./sign-in/callback-page.tsx'),
  }),
  ...guidePages,
]

export const notFoundPage = page({
  path: '/404',
  title: { sw: 'Ukurasa haupo', en: 'Page not found' },
  source: 'src/pages/not-found/page.tsx',
  load: () => import('./not-found/page.tsx'),
})
