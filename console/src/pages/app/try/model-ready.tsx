import type { ReactNode } from 'react'
import { ButtonLink } from '../../../parts/button.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useWords } from '../../../words/language.tsx'
import type { ModelChoice } from './model-choice.tsx'
import { tryWords } from './words.ts'

/** Shows its children once there is a model to try. */
export function ModelReady({ choice, children }: { choice: ModelChoice; children: ReactNode }) {
  const words = useWords(tryWords)
  if (choice.pending) return <Skeleton lines={2} tall />
  if (choice.error) return <FailureNotice error={choice.error} />
  if (choice.model !== undefined) return children
  return (
    <Empty bare icon="spark" title={words.noModel}>
      <p>{words.noModelSay}</p>
      <ButtonLink to="/models" kind="plain">
        {words.prices}
      </ButtonLink>
    </Empty>
  )
}
