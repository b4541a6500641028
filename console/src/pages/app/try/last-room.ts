import { useKept } from '../../../client/kept.ts'
import type { Room } from './rooms.ts'

export const useLastRoom = () => useKept<Room>('room', 'chat')
