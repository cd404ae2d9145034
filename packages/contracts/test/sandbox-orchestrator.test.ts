import { expect, test } from '@jest/globals'
import { sandboxOrchestratorId } from '../src/nouns/sandbox-orchestrator.ts'

test('the id of the sandbox follows from the id of the unit, as the SQL of decision 0071 computes it', () => {
  const unit = '0191e4a2-0000-7d11-8c55-91b6e0a7c002'
  expect(sandboxOrchestratorId(unit)).toBe('588e2331-8c8a-83df-b698-da8ddfabb025')
  expect(sandboxOrchestratorId(unit.toUpperCase())).toBe('588e2331-8c8a-83df-b698-da8ddfabb025')
})

test('the id is a UUID v8', () => {
  const ids = Array.from({ length: 50 }, (_, i) => sandboxOrchestratorId(`0191e4a2-0000-7d11-8c55-91b6e0a7c${100 + i}`))
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})
