import { contract } from '../../grammar/contract.ts'
import { operatorEndpoints, processEndpoints } from './operators.ts'
import { pageEndpoints } from './pages.ts'
import { problems } from './problems.ts'
import { sessionEndpoints, sessionEvents } from './sessions.ts'
import { userEndpoints, userEvents } from './users.ts'

export const identityContract = contract({
  service: 'identity',
  description: 'Users, user invitations and sessions of tenants, and the sign-in of people.',
  problems,
  endpoints: {
    ...userEndpoints,
    ...sessionEndpoints,
    ...pageEndpoints,
    ...processEndpoints,
    ...operatorEndpoints,
  },
  events: { ...userEvents, ...sessionEvents },
})
