import { PageTitle } from '../../../parts/page-title.tsx'
import { useWords } from '../../../words/language.tsx'
import { activityWords } from './words.ts'

export default function Page() {
  const words = useWords(activityWords)
  return <PageTitle title={words.title} />
}
