import type { ReactNode } from 'react'
import { Dialog } from '../dialog.tsx'
import { Form, type FormProps } from './form.tsx'

type Props = Omit<FormProps, 'kind' | 'onCancel'> & {
  title: string
  /** What will happen, and whether it can be undone. */
  why?: ReactNode
  /** For what harms nobody. */
  harmless?: boolean
  onClose(): void
}

/** Asks before something that cannot be taken back. */
export function ConfirmDialog({ title, why, harmless, onClose, children, ...form }: Props) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form {...form} kind={harmless === true ? 'main' : 'danger'} onCancel={onClose}>
        {why && <p>{why}</p>}
        {children}
      </Form>
    </Dialog>
  )
}
