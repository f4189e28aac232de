import * as z from 'zod/mini'
import { endpoint, one } from './endpoint.ts'
import { id, idOut, list, nothingIn, text } from './fields.ts'

// The reference lists that filters and forms choose from and that have no file of their own. Any
// signed-in user may read them.

export const PartType = z.object({ code: z.string(), name: z.string() })

export const listEquipTypes = endpoint({
  method: 'POST',
  path: '/equipType/all',
  access: 'signedIn',
  summary: '设备类型及其型号、部件',
  input: nothingIn,
  reply: one(
    z.array(
      z.object({
        id: idOut,
        name: z.string(),
        code: z.string(),
        /** EQUIP_CLASSIFY: which family of devices the type belongs to. */
        classify: z.string(),
        equipModels: z.array(z.object({ id: idOut, name: z.string(), code: z.string() })),
        partTypes: z.array(PartType),
      }),
    ),
  ),
})

export const listModels = endpoint({
  method: ['GET', 'POST'],
  path: '/model/list',
  access: 'signedIn',
  summary: '设备型号',
  input: z.object({ equipTypeId: z.optional(id('设备类型')) }),
  reply: one(z.array(z.object({ id: idOut, name: z.string(), code: z.string(), equipTypeId: idOut }))),
})

export const listPartTypes = endpoint({
  method: 'GET',
  path: '/partType/list',
  access: 'signedIn',
  summary: '部件类型',
  input: z.object({ equipTypeId: z.optional(id('设备类型')) }),
  reply: one(z.array(PartType)),
})

export const typeCodes = list(text('类型', 64), '类型', 100)
