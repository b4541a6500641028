import { PageTitle } from '../../../parts/page-title.tsx'
import { useWords } from '../../../words/language.tsx'
import { Deletion } from './deletion.tsx'
import { Appearance } from './appearance.tsx'
import { Preferences } from './preferences.tsx'
import { Profile } from './profile.tsx'
import { Security } from './security.tsx'
import { settingsWords } from './words.ts'

export default function Page() {
  const words = useWords(settingsWords)
  return (
    <div className="mx-auto max-w-3xl">
      <PageTitle title={words.title} />
      <Profile />
      <Security />
      <Appearance />
      <Preferences />
      <Deletion />
    </div>
  )
}
