import { Button } from '../parts/button.tsx'
import { Notice } from '../parts/notice.tsx'
import { useWords, words } from '../words/language.tsx'

const crashWords = words({
  sw: {
    title: 'Ukurasa huu umekwama',
    say: 'Ni kosa letu. Hukutozwa chochote.',
    again: 'Fungua upya',
  },
  en: {
    title: 'This page got stuck',
    say: 'It is our mistake. You were not charged.',
    again: 'Reload',
  },
})

export function CrashNotice() {
  const said = useWords(crashWords)
  return (
    <div className="column py-8">
      <Notice tone="bad" title={said.title}>
        <p className="mb-2">{said.say}</p>
        <Button kind="plain" size="small" onClick={() => location.reload()}>
          {said.again}
        </Button>
      </Notice>
    </div>
  )
}
