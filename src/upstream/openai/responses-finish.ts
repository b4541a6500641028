import { fieldsOf, type Fields } from '../../lib/fields.ts'

/** Why a response ended, in the words of a chat. */
export function responsesFinish(response: Fields): string {
  const { reason } = fieldsOf(response.incomplete_details)
  if (reason === 'content_filter') return 'content_filter'
  return response.status === 'incomplete' ? 'length' : 'stop'
}
