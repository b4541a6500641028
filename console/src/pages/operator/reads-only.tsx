import { Notice } from '../../parts/notice.tsx'
import { useWords } from '../../words/language.tsx'
import { useOperator, type Role } from './operator.ts'
import { operatorWords } from './words.ts'

/** Says why nothing can be done here with this role. */
export function ReadsOnly({ need }: { need: Exclude<Role, 'viewer'> }) {
  const words = useWords(operatorWords)
  const { role, may } = useOperator()
  if (may(need)) return null
  return (
    <div className="mb-4">
      <Notice tone="info">{role === 'viewer' ? words.reads : words.ownersOnly}</Notice>
    </div>
  )
}
