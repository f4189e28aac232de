// Which packages are for which parts, from the door of firmware: queries do not import other features.
export {
  isOlder,
  isRecommended,
  packageMatches,
  packageVersion,
  packageVersionText,
} from '../firmware/index.ts'
