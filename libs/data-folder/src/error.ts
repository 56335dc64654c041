/** The data folder or a backup cannot be used: in use, torn, not a backup. The message says what to do. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError'
}
