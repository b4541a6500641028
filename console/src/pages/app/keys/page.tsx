import { PageTitle } from '../../../parts/page-title.tsx'
import { useWords } from '../../../words/language.tsx'
import { keysWords } from './words.ts'

export default function Page() {
  const words = useWords(keysWords)
  return <PageTitle title={words.title} />
}
