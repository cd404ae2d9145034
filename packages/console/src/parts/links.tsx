import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'

interface ResourceLinkProps {
  readonly id: string
  readonly children: ReactNode
}

/** A component that links to the page of a resource, whose path ends with the id. */
const linkTo =
  (to: NonNullable<LinkProps['to']>) =>
  ({ id, children }: ResourceLinkProps) => {
    const [, name = ''] = to.split('$')
    return (
      <Link to={to} params={{ [name]: id } as never}>
        {children}
      </Link>
    )
  }

export const AuthInfoLink = linkTo('/auth-infos/$authInfoId')
export const InvitationLink = linkTo('/invitations/$codeId')
export const KeyLink = linkTo('/keys/$keyId')
export const LetterLink = linkTo('/dead-letters/$letterId')
export const MessageLink = linkTo('/messages/$communicationId')
export const RoleLink = linkTo('/roles/$roleId')
export const TaskLink = linkTo('/tasks/$taskId')
export const TemplateLink = linkTo('/templates/$templateId')
export const TransactionLink = linkTo('/transactions/$transactionId')
export const UnitLink = linkTo('/units/$unitId')
export const UserLink = linkTo('/users/$userId')

/** Leads to the records of a request in the audit. */
export const TraceLink = ({ id, children }: ResourceLinkProps) => (
  <Link to="/audit" search={{ trace_id: id }}>
    {children}
  </Link>
)
