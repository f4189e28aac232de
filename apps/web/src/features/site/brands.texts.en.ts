// The English of brands.texts.ts.
import type { Brand } from './brands.texts.ts'

export type { Brand }

export const asgoft: Brand = {
  name: 'ASGOFT',
  line: 'Battery-swap infrastructure for two-wheelers',
  about:
    'ASGOFT provides swap cabinets and batteries for city delivery and mobility, monitored and maintained on Voltkeep.',
  drawing: 'cabinet',
  points: [
    {
      title: 'Swap cabinets',
      text: 'Eight, twelve or joined compartments, each with its own temperature and smoke sensing and extinguisher.',
    },
    {
      title: 'Batteries',
      text: 'The battery management reports charge, temperature and cycles as they are.',
    },
    { title: 'Operations', text: 'Remote upgrades, batch settings and log extraction mean fewer visits.' },
  ],
}

export const estolife: Brand = {
  name: 'ESTOLIFE',
  line: 'Energy storage for homes and businesses',
  about:
    'ESTOLIFE provides storage for homes and businesses; Voltkeep watches over charging strategy and safety.',
  drawing: 'storage',
  points: [
    {
      title: 'Home storage',
      text: 'Works with PV optimizers and inverters, and takes over when the grid fails.',
    },
    {
      title: 'Business storage',
      text: 'Monitoring by cabinet, alarms by cell, handling by level.',
    },
    {
      title: 'Safety',
      text: 'Fire protection, climate and insulation watched day and night, with alarms at once.',
    },
  ],
}

export const eArk: Brand = {
  name: 'e-Ark',
  line: 'Smart swap cabinets',
  about:
    'e-Ark is a smart swap cabinet for city blocks: small, made for outdoors, works offline and reports afterwards.',
  drawing: 'cabinet',
  points: [
    {
      title: 'Each compartment by itself',
      text: 'Charging, temperature, lock feedback and extinguisher of its own; a faulty one is taken out by itself.',
    },
    {
      title: 'Seen at a glance',
      text: 'Seven groups of lamps for ready, charging, fault and more; colours and blinking are set remotely.',
    },
    {
      title: 'Maintained remotely',
      text: 'Software in stages with rollback on failure, logs when needed.',
    },
  ],
}
