import { Icon } from '../parts/icon.tsx'
import { useWords } from '../words/language.tsx'
import { frameWords } from './words.ts'

/** What opens and closes the menu on a phone; its `details` has the class `group`. */
export function MenuSummary() {
  const words = useWords(frameWords)
  return (
    <summary className="-mr-2 flex size-11 list-none items-center justify-center rounded-sm [&::-webkit-details-marker]:hidden">
      <span className="sr-only">{words.menu}</span>
      <span className="group-open:hidden">
        <Icon name="menu" size={24} />
      </span>
      <span className="hidden group-open:block">
        <Icon name="cross" size={24} />
      </span>
    </summary>
  )
}
