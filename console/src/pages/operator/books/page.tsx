import { PageTitle } from '../../../parts/page-title.tsx'
import { useWords } from '../../../words/language.tsx'
import { Audits } from './audits.tsx'
import { Exports } from './exports.tsx'
import { booksWords } from './words.ts'

export default function Page() {
  const words = useWords(booksWords)
  return (
    <>
      <PageTitle title={words.title} lead={words.lead} />
      <Audits />
      <Exports />
    </>
  )
}
