import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/form/field.tsx'
import { commonWords } from '../../words/common.ts'
import { useWords } from '../../words/language.tsx'

type Props = { label: string; start: string; maxLength: number; onSearch(text: string): void }

/** One field for ids and addresses, without autocorrection. */
export function SearchForm({ label, start, maxLength, onSearch }: Props) {
  const common = useWords(commonWords)
  const [text, setText] = useState(start)
  return (
    <form
      role="search"
      onSubmit={(event) => (event.preventDefault(), onSearch(text.trim()))}
      className="mb-4 flex flex-wrap items-end gap-2"
    >
      <div className="min-w-0 flex-1 basis-64">
        <Field
          label={label}
          value={text}
          onChange={setText}
          maxLength={maxLength}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
      </div>
      <Button type="submit" icon="search">
        {common.search}
      </Button>
    </form>
  )
}
