import { useAskAgain } from '../../client/use-ask.ts'
import { PageTitle } from '../../parts/page-title.tsx'
import { useWords } from '../../words/language.tsx'
import { FreshCodeField } from './fresh-code.tsx'
import { operatorWords } from './words.ts'

/** For a session that has not passed the second factor yet. */
export function FirstCode() {
  const words = useWords(operatorWords)
  const again = useAskAgain()
  return (
    <>
      <PageTitle title={words.proofTitle} lead={words.proofFirst} />
      <div className="card max-w-xl p-5">
        <FreshCodeField onGiven={() => void again('GET /v1/operator/me')} />
      </div>
    </>
  )
}
