import { PageTitle } from '../../../parts/page-title.tsx'
import { useWords } from '../../../words/language.tsx'
import { settingsWords } from './words.ts'

export default function Page() {
  const words = useWords(settingsWords)
  return <PageTitle title={words.title} />
}
