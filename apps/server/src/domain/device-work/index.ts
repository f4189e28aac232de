import { feature } from '../../platform/feature.ts'

/**
 * The engine under features that do something on many devices. It has no calls and no tables of its own: it moves the
 * rows of the features' tables, by what it reads of devices and their commands.
 */
export const deviceWork = feature({
  name: 'device-work',
  inputs: [
    'device',
    'device_command',
    'device_state',
    'equip_model',
    'equip_type',
    'ocpp_relay',
    'operator',
    'part_type',
    'region',
  ],
  create: () => ({ service: null }),
})
