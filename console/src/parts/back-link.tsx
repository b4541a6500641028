import { Link } from 'wouter'

/** Above a page that belongs to another: the way there. */
export function BackLink({ to, children }: { to: string; children: string }) {
  return (
    <Link href={to} className="link inline-flex min-h-11 items-center text-sm">
      {children}
    </Link>
  )
}
