import { defineProblems } from './problem.ts'

/** Of the services in which a key could take its own permissions: api-key, which knows its roles, and rbac, which edits them. */
export const ownKeyProblems = defineProblems({
  own_key: {
    status: 409,
    title: 'A key cannot delete, disable, strip or shut out itself',
    explanation:
      'A key cannot delete or disable itself, let itself expire, narrow the addresses it may be used from, or take permissions from itself: neither by replacing its roles, nor by removing from one of its roles a permission that none of its other roles grants. It could not give them back. Use another credential, so that a tenant does not lock itself out by mistake. Tokens are not judged: the roles of a user are assigned by the identity provider.',
  },
})
