import { lazy } from 'react'
import type { Params } from '../../page.tsx'
import { BillingHome } from './home.tsx'
import { PaymentPage } from './payment.tsx'
import { Receipt } from './receipt.tsx'

/** Loaded separately: it is opened once a month. */
const Statement = lazy(() => import('./statement.tsx'))

/** `/app/billing`, `…/statement`, `…/payments/{id}` and its `/receipt`. */
export default function Page({ params }: { params: Params }) {
  const [part, id, more] = (params['rest'] ?? '').split('/')
  if (part === 'statement') return <Statement />
  if (part === 'payments' && id && more === 'receipt') return <Receipt id={id} />
  if (part === 'payments' && id) return <PaymentPage key={id} id={id} />
  return <BillingHome />
}
