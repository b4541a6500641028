import { PageTitle } from '../../../parts/page-title.tsx'
import { useWords } from '../../../words/language.tsx'
import { Fx } from './fx.tsx'
import { Operators } from './operators.tsx'
import { officeWords } from './words.ts'

export default function Page() {
  const words = useWords(officeWords)
  return (
    <>
      <PageTitle title={words.title} />
      <Operators />
      <Fx />
    </>
  )
}
