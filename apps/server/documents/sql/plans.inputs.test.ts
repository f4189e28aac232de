import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { endpoints } from '../../test/endpoints.ts'
import { inputOf } from './plans.inputs.ts'

const lists = endpoints.filter(({ endpoint }) => endpoint.reply.kind === 'page')

test.each(lists.map(({ name, endpoint }) => [name, endpoint] as const))(
  'the plans of %s are made with all that it asks for',
  (name, endpoint) => {
    const parsed = z.safeParse(endpoint.input as z.ZodMiniType, inputOf(name, endpoint))
    expect(parsed.error?.issues ?? []).toEqual([])
  },
)
