import { ButtonLink } from '../../../parts/button.tsx'
import { PageTitle } from '../../../parts/page-title.tsx'
import { useWords } from '../../../words/language.tsx'
import { useOperator } from '../operator.ts'
import { ExchangeRates } from './exchange-rates.tsx'
import { Operators } from './operators.tsx'
import { officeWords } from './words.ts'

export default function Page() {
  const words = useWords(officeWords)
  const { may } = useOperator()
  return (
    <>
      <PageTitle title={words.title}>
        {may('owner') && (
          <ButtonLink to="/operator/webhooks" kind="plain" icon="send">
            {words.webhooks}
          </ButtonLink>
        )}
      </PageTitle>
      <Operators />
      <ExchangeRates />
    </>
  )
}
