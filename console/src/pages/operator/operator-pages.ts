import { page, type Page } from '../page.tsx'

/** Pages of the operators, each fetched when it is first gone to. */
export const operatorPages: Page[] = [
  page({
    path: '/operator',
    title: { sw: 'Uendeshaji', en: 'Operations' },
    source: 'src/pages/operator/overview/page.tsx',
    load: () => import('./overview/page.tsx'),
  }),
  page({
    path: '/operator/accounts',
    title: { sw: 'Wateja', en: 'Customers' },
    source: 'src/pages/operator/accounts/page.tsx',
    load: () => import('./accounts/page.tsx'),
  }),
  page({
    path: '/operator/accounts/:id',
    title: { sw: 'Mteja', en: 'Customer' },
    source: 'src/pages/operator/accounts/account-page.tsx',
    load: () => import('./accounts/account-page.tsx'),
  }),
  page({
    path: '/operator/payments',
    title: { sw: 'Malipo', en: 'Payments' },
    source: 'src/pages/operator/payments/page.tsx',
    load: () => import('./payments/page.tsx'),
  }),
  page({
    path: '/operator/payments/statement',
    title: { sw: 'Linganisha malipo', en: 'Reconcile payments' },
    source: 'src/pages/operator/payments/statement-page.tsx',
    load: () => import('./payments/statement-page.tsx'),
  }),
  page({
    path: '/operator/payments/:id',
    title: { sw: 'Malipo', en: 'Payment' },
    source: 'src/pages/operator/payments/payment-page.tsx',
    load: () => import('./payments/payment-page.tsx'),
  }),
  page({
    path: '/operator/requests',
    title: { sw: 'Maombi', en: 'Requests' },
    source: 'src/pages/operator/requests/page.tsx',
    load: () => import('./requests/page.tsx'),
  }),
  page({
    path: '/operator/models',
    title: { sw: 'Modeli', en: 'Models' },
    source: 'src/pages/operator/models/page.tsx',
    load: () => import('./models/page.tsx'),
  }),
  page({
    path: '/operator/upstreams',
    title: { sw: 'Watoa modeli', en: 'Upstreams' },
    source: 'src/pages/operator/upstreams/page.tsx',
    load: () => import('./upstreams/page.tsx'),
  }),
  page({
    path: '/operator/messages',
    title: { sw: 'Ujumbe', en: 'Messages' },
    source: 'src/pages/operator/messages/page.tsx',
    load: () => import('./messages/page.tsx'),
  }),
  page({
    path: '/operator/books',
    title: { sw: 'Hesabu', en: 'Books' },
    source: 'src/pages/operator/books/page.tsx',
    load: () => import('./books/page.tsx'),
  }),
  page({
    path: '/operator/log',
    title: { sw: 'Kumbukumbu', en: 'Log' },
    source: 'src/pages/operator/log/page.tsx',
    load: () => import('./log/page.tsx'),
  }),
  page({
    path: '/operator/office',
    title: { sw: 'Ofisi', en: 'Office' },
    source: 'src/pages/operator/office/page.tsx',
    load: () => import('./office/page.tsx'),
  }),
  page({
    path: '/operator/webhooks',
    title: { sw: 'Webhook', en: 'Webhooks' },
    source: 'src/pages/operator/webhooks/page.tsx',
    load: () => import('./webhooks/page.tsx'),
  }),
  page({
    path: '/operator/webhooks/:id',
    title: { sw: 'Webhook', en: 'Webhook' },
    source: 'src/pages/operator/webhooks/deliveries-page.tsx',
    load: () => import('./webhooks/deliveries-page.tsx'),
  }),
]
