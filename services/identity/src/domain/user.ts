import type { User } from '@payments/contracts/services/identity/users'

/** Users and open invitations of a tenant. */
export const usersMax = 1_000

/** Seats above `usersMax` for invitations of operators: the way back into a tenant that is full of invitations. */
const operatorSeats = 10

/**
 * Whether an actor may invite another person. An actor has open invitations for half of the seats that the others
 * leave, so that one key cannot take all seats of its tenant. Operators have seats of their own.
 */
export function hasSeat({
  members,
  open,
  ofActor,
  isOperator,
}: {
  readonly members: number
  readonly open: number
  /** Open invitations of the actor. */
  readonly ofActor: number
  readonly isOperator: boolean
}): boolean {
  const free = usersMax - members - open
  return isOperator ? free + operatorSeats > 0 : free > 0 && ofActor < (free + ofActor) / 2
}

export interface UserFacts {
  readonly userId: string
  readonly roleIds: readonly string[]
  readonly enabled: boolean
  readonly lastSignedInAt: Date | null
  readonly createdAt: Date
  readonly createdBy: string
  readonly user: { readonly email: string | null; readonly name: string | null }
}

export function presentUser(member: UserFacts): User {
  return {
    ...presentUserEvent(member).user,
    email: member.user.email,
    name: member.user.name,
  }
}

/** The payload of events of a user, without name and email address. */
export function presentUserEvent(member: Omit<UserFacts, 'user'>) {
  return {
    user: {
      id: member.userId,
      role_ids: [...member.roleIds],
      enabled: member.enabled,
      last_signed_in_at: member.lastSignedInAt?.toISOString() ?? null,
      created_at: member.createdAt.toISOString(),
      created_by: member.createdBy,
    },
  }
}
