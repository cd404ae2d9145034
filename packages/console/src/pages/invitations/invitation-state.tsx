import { State, type Tones } from '../../ui/badge.tsx'

const tones: Tones = { completed: 'good', processing: 'warning' }

export const InvitationState = ({ status }: { status: string }) => <State state={status} tones={tones} />

/** Whether the link of an invitation may still be paid, or be sent again. */
export const isOpen = (status: string): boolean => status !== 'completed' && status !== 'canceled'
