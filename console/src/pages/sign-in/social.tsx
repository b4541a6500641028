import { useFacts } from '../../catalog/rate.ts'
import { useWords } from '../../words/language.tsx'
import { signInWords } from './words.ts'

/** Google and GitHub, where the operator has set them up. */
export function Social() {
  const words = useWords(signInWords)
  const ways = useFacts().data?.data.sign_in
  if (!ways?.google && !ways?.github) return null
  const look =
    'flex min-h-12 w-full items-center justify-center rounded-sm border border-edge bg-card px-4 font-semibold hover:bg-sunken'
  return (
    <div className="flex flex-col gap-3">
      {ways.google && (
        <a href="/v1/auth/google/start?session=cookie" className={look}>
          {words.google}
        </a>
      )}
      {ways.github && (
        <a href="/v1/auth/github/start?session=cookie" className={look}>
          {words.github}
        </a>
      )}
      <p className="flex items-center gap-3 text-sm text-soft before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        {words.or}
      </p>
    </div>
  )
}
