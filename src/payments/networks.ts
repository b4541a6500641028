export type MobileNetwork = {
  id: string
  /** The name of its wallet, as customers know it. */
  name: string
  /** How its numbers begin. A guess: a number keeps its beginning when its owner changes networks. */
  prefixes: readonly string[]
  /** What to dial for the wallet's own menu, when no request appears on the phone. */
  menu: string
}

/** The wallets of Tanzania that top-ups come from. */
export const MOBILE_NETWORKS: readonly MobileNetwork[] = [
  { id: 'mpesa', name: 'M-Pesa', prefixes: ['074', '075', '076'], menu: '*150*00#' },
  {
    id: 'mixx',
    name: 'Mixx by Yas',
    prefixes: ['065', '067', '071', '077'],
    menu: '*150*01#',
  },
  { id: 'airtel', name: 'Airtel Money', prefixes: ['068', '069', '078'], menu: '*150*60#' },
  { id: 'halopesa', name: 'HaloPesa', prefixes: ['061', '062'], menu: '*150*88#' },
]
