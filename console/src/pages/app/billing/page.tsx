import { PageTitle } from '../../../parts/page-title.tsx'
import { useWords } from '../../../words/language.tsx'
import { billingWords } from './words.ts'

export default function Page() {
  const words = useWords(billingWords)
  return <PageTitle title={words.title} />
}
