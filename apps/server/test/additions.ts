// Why there are calls that the specification does not have. Which calls is in proofs/, noun by noun.

/** In the order of docs/coverage.md. */
export const reasons = {
  plainReads: 'Defined but unused in the specification, and of use: plain reads of the dictionary.',
  publicPages: 'The public pages ask for what nobody has to sign in for.',
  supervision: 'The home page, and what tells a supervisor how the server does.',
  found: 'Found from anywhere by a few letters (Ctrl K).',
  told: 'People who do not look at the console are told of alarms, and it is known who was told what.',
  handedOver: 'A shift that ends tells the next one what is open, and it is known who took over.',
  ownTasks: "A user's long work of every kind in one list, whichever page or browser began it.",
  deviceStory: 'All that happened to one device in one order, whichever part of the console keeps it.',
  living: 'What a device measures and what stands in its compartments, now and before.',
  ownChoice: 'What a user has chosen for the own screen, the same in every browser.',
  ownFilters: "Filters of a list that are used again, of one user or of an organization's.",
  oneRow: 'One row by its id: a link, a form that is open, a detail that outlives its page of the list.',
  before: 'What would happen, before it does: how many devices, which values, which versions.',
  controlled:
    'Work on many devices that can be stopped, tried again and taken back, with a row for each device.',
  keptLog: 'A log that is extracted while somebody does something else, kept, and read in the page.',
  kept: 'What the specification lists or picks from has to be kept somewhere.',
  sheet: 'A list that is looked at is also wanted as a sheet, and a package as its file.',
  confirmed: 'A confirmation names how many devices it is about.',
  otherSystems:
    'Other systems of the company read and act by keys of their own, within what somebody gives them.',
  companySignIn:
    "People sign in with their company's account, and who may come is decided by an administrator.",
  otherMakers: 'Devices that speak their maker’s JSON or bytes, understood without a change of theirs.',
  security:
    'Operations and security: recovery by hand, secrets and passwords made anew, who is signed in, who was turned away.',
} as const
