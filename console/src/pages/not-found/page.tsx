import { ButtonLink } from '../../parts/button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { useWords, words } from '../../words/language.tsx'

const notFoundWords = words({
  sw: { title: 'Ukurasa haupo', say: 'Anwani hii haina ukurasa.', home: 'Nenda mwanzo' },
  en: {
    title: 'Page not found',
    say: 'There is no page at this address.',
    home: 'Go to the start',
  },
})

export default function Page() {
  const said = useWords(notFoundWords)
  return (
    <div className="column py-12">
      <h1 className="sr-only">{said.title}</h1>
      <Empty bare icon="search" title={said.title}>
        <p>{said.say}</p>
        <ButtonLink to="/">{said.home}</ButtonLink>
      </Empty>
    </div>
  )
}
