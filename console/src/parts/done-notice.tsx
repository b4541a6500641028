import { Notice } from './notice.tsx'

/** What has just been done; nothing while that is empty. */
export function DoneNotice({ children }: { children: string }) {
  if (children === '') return null
  return (
    <div className="mb-4">
      <Notice tone="good">{children}</Notice>
    </div>
  )
}
