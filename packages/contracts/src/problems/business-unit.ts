import { defineProblems } from '../grammar/problem.ts'

export const orchestratorProblems = defineProblems({
  payment_orchestrator_not_found: {
    status: 404,
    title: 'Payment orchestrator not found',
    explanation: 'The business unit has no payment orchestrator with this id.',
  },
})

/** Of payments and of the payment orchestrators that take them. */
export const modeProblems = defineProblems({
  test_mode_not_allowed: {
    status: 422,
    title: 'Payments in test mode are not allowed',
    explanation:
      'A payment orchestrator with the mode `test`, such as the sandbox, moves no money. In production it takes no payment and cannot be active.',
  },
})

/** Problems of every service whose resources belong to a business unit. */
export const businessUnitProblems = defineProblems({
  business_unit_not_found: {
    status: 404,
    title: 'Business unit not found',
    explanation: 'The tenant has no business unit with this id.',
  },
  business_unit_deleted: {
    status: 409,
    title: 'The business unit is deleted',
    explanation:
      'A deleted business unit takes no new resources and no new authorizations. Its resources can still be read, and captured, voided and refunded.',
  },
})
