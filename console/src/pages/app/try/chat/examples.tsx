import { Empty } from '../../../../parts/empty.tsx'
import { useWords } from '../../../../words/language.tsx'
import { chatWords } from './words.ts'

/** Example questions: a tap puts one into the field. */
export function Examples({ onChoose }: { onChoose(text: string): void }) {
  const words = useWords(chatWords)
  return (
    <div className="my-auto">
      <Empty bare icon="chat" title={words.empty}>
        <p>{words.emptySay}</p>
        <ul className="flex w-full flex-col gap-2">
          {words.examples.map((text) => (
            <li key={text}>
              <button
                type="button"
                onClick={() => onChoose(text)}
                className="card min-h-11 w-full px-4 py-2 text-left text-ink hover:border-edge"
              >
                {text}
              </button>
            </li>
          ))}
        </ul>
      </Empty>
    </div>
  )
}
