import { useFacts } from '../../../catalog/rate.ts'
import { Button } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { useWords } from '../../../words/language.tsx'
import { networkOfNumber } from './networks.ts'
import { billingWords } from './words.ts'

/** The verified number of the account, with the wallet it probably has. */
export function PayingNumber({ phone, onChange }: { phone: string; onChange(): void }) {
  const words = useWords(billingWords)
  const facts = useFacts()
  const network = networkOfNumber(facts.data?.data.networks ?? [], phone)
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 rounded-sm bg-sunken px-3 py-2">
      <div className="flex items-center gap-3">
        <Icon name="phone" size={24} />
        <div>
          <p className="text-sm text-soft">{words.payWith}</p>
          <p className="figures font-semibold">
            {phone}
            {network && <span className="font-normal"> · {network.name}</span>}
          </p>
        </div>
      </div>
      <Button kind="quiet" size="small" onClick={onChange}>
        {words.changeNumber}
      </Button>
    </div>
  )
}
