import type { Deps } from '../deps.ts'

export const listSignInProviders = ({ providers }: Pick<Deps, 'providers'>) => ({
  data: providers.list.map(({ id, name }) => ({ id, name })),
  next_cursor: null,
})
