import { PageTitle } from '../../../parts/page-title.tsx'
import { useWords } from '../../../words/language.tsx'
import { noticesWords } from './words.ts'

export default function Page() {
  const words = useWords(noticesWords)
  return <PageTitle title={words.title} />
}
