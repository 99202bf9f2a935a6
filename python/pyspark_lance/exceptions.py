# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The errors of this package, and their translation from errors of Spark.

Spark reports errors of the connector with a condition (`LANCE_COMMIT_CONFLICT`, ...) and the fields
of the error. It reports errors of failed tasks as text. `errors_translated` translates both to
the classes below, on classic Spark and on Spark Connect.
"""

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import ClassVar, Final

from pyspark.errors import AnalysisException, PySparkException

from pyspark_lance.interrupts import jobs_cancelled


class LanceError(Exception):
    """Base class of all errors of this package.

    Attributes:
        path: The file or table, if known.
        version: The version of the table.
        column: The column, as names joined by dots.
        page: The page of the column, from 0.
    """

    path: str | None = None
    version: int | None = None
    column: str | None = None
    page: int | None = None

    @property
    def message(self) -> str:
        """The error message, with a remedy if there is one."""
        return str(self)


class JarNotFoundError(LanceError):
    """There is no jar for the installed Spark version. The message contains the remedy."""


class JarMismatchError(LanceError):
    """The jar of the session was built for another Spark version."""

    def __init__(self, found: str) -> None:
        """Creates the error. The message contains the line to change.

        Args:
            found: The class or method that the JVM could not link.
        """
        super().__init__(
            f"the pyspark-lance jar does not match the Spark version of this session ({found}). "
            "Remove it from spark.jars and spark.jars.packages, and create the session with\n"
            "    spark = pyspark_lance.configure(SparkSession.builder).getOrCreate()"
        )


class ConnectorNotLoadedError(LanceError):
    """The Spark session was started without the connector's jar."""

    def __init__(self, remote: bool = False) -> None:
        """Creates the error. The message contains the line to change.

        Args:
            remote: Whether it is a Spark Connect session.
        """
        here = (
            "this Spark session has no Lance connector. Create the session with\n"
            "    spark = pyspark_lance.configure(SparkSession.builder).getOrCreate()\n"
            "in a new Python process: a running JVM cannot load another jar."
        )
        there = (
            "the Spark Connect server has no Lance connector. Start it with\n"
            '    --jars "$(pyspark-lance jars)" --conf spark.sql.extensions='
            "io.github.pysparklance.spark.LanceSparkSessionExtensions\n"
            "in an environment on the server with this package."
        )
        super().__init__(there if remote else here)


class TableError(LanceError, AnalysisException):
    """An error about a table or a request; also PySpark's `AnalysisException`.

    Attributes:
        condition: The error condition, as returned by `getCondition()`.
        parameters: The message parameters, as returned by `getMessageParameters()`.
    """

    CONDITION: ClassVar[str] = "LANCE_ERROR"

    def __init__(
        self,
        message: str,
        *,
        condition: str | None = None,
        parameters: Mapping[str, str] | None = None,
    ) -> None:
        """Creates the error with a message of the connector.

        Args:
            message: The message for the user.
            condition: Spark's error condition; the condition of the class if omitted.
            parameters: Message parameters by name.
        """
        super().__init__(message)
        self.condition: str = condition or self.CONDITION
        self.parameters: dict[str, str] = dict(parameters or {})
        self.path = _plain(self.parameters.get("path"))
        self.version = _number(self.parameters.get("version"))
        self.column = self.parameters.get("column")
        self.page = _number(self.parameters.get("page"))

    @property
    def message(self) -> str:
        """The error message, with a remedy if there is one."""
        return self._message

    @message.setter
    def message(self, text: str) -> None:  # PySpark 3.5 sets it
        self._message = text

    def getMessage(self) -> str:
        """Returns the message, like PySpark's errors."""
        return self._message

    def getCondition(self) -> str | None:
        """Returns the error condition, like PySpark's errors."""
        return self.condition

    def getErrorClass(self) -> str | None:
        """Returns the error condition, by its older name."""
        return self.condition

    def getMessageParameters(self) -> dict[str, str] | None:
        """Returns the message parameters, like PySpark's errors."""
        return self.parameters

    def __str__(self) -> str:
        """The message."""
        return self._message


class CommitConflictError(TableError):
    """Another writer committed a conflicting change; nothing was committed.

    Attributes:
        conflicting_version: The conflicting version, if known.
        retryable: Whether the operation can be retried on the newer version.
    """

    CONDITION = "LANCE_COMMIT_CONFLICT"

    @property
    def conflicting_version(self) -> int | None:
        """The conflicting version."""
        return _number(self.parameters.get("conflictingVersion"))

    @property
    def retryable(self) -> bool:
        """Whether the operation can be retried; otherwise a retry would undo the other change."""
        return self.parameters.get("retryable") == "true"


class CommitStateUnknownError(TableError):
    """The commit may or may not have succeeded. Check the history, and delete no files."""

    CONDITION = "LANCE_COMMIT_STATE_UNKNOWN"


class CorruptFileError(TableError):
    """A file is truncated, damaged, or not a Lance file."""

    CONDITION = "LANCE_CORRUPT_FILE"


class UnsupportedFeatureError(TableError):
    """The table or the request uses a feature that is not supported."""

    CONDITION = "LANCE_UNSUPPORTED_FEATURE"

    @property
    def feature(self) -> str:
        """The name of the feature."""
        return self.parameters.get("feature", self.message)


class StorageError(TableError):
    """Storage failed: no access, no space, a missing bucket, or no connection. See the message."""

    CONDITION = "LANCE_STORAGE"


class NotFoundError(TableError):
    """A table, version, file, tag, or branch does not exist."""

    CONDITION = "LANCE_NOT_FOUND"

    @property
    def what(self) -> str:
        """The missing object."""
        return self.parameters.get("what", self.message)


class InvalidRequestError(TableError):
    """The request is invalid: an option, a schema, or a name that is in use."""

    CONDITION = "LANCE_INVALID_REQUEST"


_KINDS: Final[dict[str, type[TableError]]] = {
    kind.CONDITION: kind
    for kind in (
        CommitConflictError,
        CommitStateUnknownError,
        CorruptFileError,
        StorageError,
        UnsupportedFeatureError,
        NotFoundError,
        InvalidRequestError,
    )
}
# Spark's conditions for extra columns in the rows, and the parameter with the column name.
_EXTRA_COLUMNS: Final = (
    "INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS",
    "INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_STRUCT_FIELDS",
    "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS",
)
_LANCE_NAME: Final = re.compile(r"`?(?:(?:__lance_path|lance\w*)`?\.|lance \w+:)", re.IGNORECASE)
# The exception class and message in the text of a failed task, up to the stack trace.
_THROWN: Final = re.compile(
    r"io\.github\.pysparklance\.core\.(\w+)Exception[:)] (.+?)"
    r"(?=\n\s*at |\n\s*Caused by:|\n\s*Suppressed:|\n\nDriver stacktrace|\n\nJVM stacktrace|\Z)",
    re.DOTALL,
)
_JVM_KINDS: Final = {kind.__name__.removesuffix("Error"): kind for kind in _KINDS.values()}
_DETAIL = r'(?:version \d+|column ".*?"|page \d+|byte \d+)'
_PLACE: Final = re.compile(rf"(?:(.+?): )?({_DETAIL}(?:, {_DETAIL})*): ")
_PARTS: Final = {
    "version": re.compile(r"version (\d+)"),
    "column": re.compile(r'column "(.*?)"'),
    "page": re.compile(r"page (\d+)"),
    "offsetBytes": re.compile(r"byte (\d+)"),
}
_MISSING: Final = {
    "PATH_NOT_FOUND": "table",
    "TABLE_OR_VIEW_NOT_FOUND": "table",
    "SCHEMA_NOT_FOUND": "namespace",
}
_NO_TABLE: Final = "io.github.pysparklance.core.NotFoundException"
_NO_CONNECTOR: Final = re.compile(
    r"\[DATA_SOURCE_NOT_FOUND\] Failed to find the data source: (?i:lance)\.(?:\s|$)"
    r"|io\.github\.pysparklance\.spark\.Lance\w*Catalog is not found"
    r"|Cannot find catalog plugin class.*pysparklance"
)
_LINKAGE: Final = re.compile(
    r"(?:NoSuchMethodError|NoSuchFieldError|NoClassDefFoundError|AbstractMethodError"
    r"|IncompatibleClassChangeError|UnsupportedClassVersionError|ServiceConfigurationError)"
    r"[^\n]*"
)


@contextmanager
def errors_translated() -> Generator[None]:
    """Translates errors of the connector in a block to the classes of this package.

    The functions of this package already do this. Use it around actions on DataFrames, because
    Spark reads files only then. Ctrl-C in the block cancels all jobs of the Spark application.

    Returns:
        A context manager without a value, for `with`.

    Raises:
        LanceError: One of the classes of this module, with Spark's error as its cause. Errors not
            caused by the connector are raised unchanged.

    Examples:
        >>> import pyspark_lance
        >>> try:
        ...     with pyspark_lance.errors_translated():
        ...         spark.read.format("lance").load("/no/such/table").count()
        ... except pyspark_lance.NotFoundError as error:
        ...     error.path
        '/no/such/table'
    """
    try:
        with jobs_cancelled():
            yield
    except Exception as error:
        ours = translate(error)
        if ours is error:
            raise
        raise ours from error


def translate(error: Exception) -> Exception:
    """Translates an error of Spark to an error of this package.

    Args:
        error: The error of Spark.

    Returns:
        An error of this module, or the same error if the connector did not cause it.
    """
    if isinstance(error, LanceError):
        return error
    return _by_condition(error) or _by_text(error) or error


def condition_of(error: PySparkException) -> str | None:
    """Returns the condition of an error of Spark. PySpark 3.5 has an older name for this method."""
    get = getattr(error, "getCondition", None) or error.getErrorClass
    return get()


def message_of(error: Exception) -> str:
    """Returns the message of an error without JVM stack traces.

    Examples:
        >>> from pyspark_lance.exceptions import message_of
        >>> message_of(ValueError(" no number")), message_of(ValueError())
        ('no number', 'ValueError')
    """
    said = getattr(error, "java_exception", error)  # py4j's errors contain more
    return str(said).split("\n\nJVM stacktrace")[0].strip() or type(error).__name__


def first_line(error: Exception) -> str:
    """Returns the first line of the message of an error."""
    return message_of(error).splitlines()[0]


def _by_condition(error: Exception) -> TableError | None:
    if not isinstance(error, AnalysisException):
        return None
    condition = condition_of(error) or ""
    parameters = {k: v for k, v in (error.getMessageParameters() or {}).items() if v is not None}
    text = message_of(error)
    if condition in _KINDS:
        return _KINDS[condition](text, parameters=parameters)
    if condition in _MISSING:
        known = {"what": _MISSING[condition], **parameters}
        if condition == "PATH_NOT_FOUND":
            if _is_ours(error):
                text = _no_table_at(_plain(parameters.get("path")) or "")
            else:
                known["what"] = "path"
        return NotFoundError(text, condition=condition, parameters=known)
    if condition in _EXTRA_COLUMNS and _LANCE_NAME.match(parameters.get("tableName", "")):
        hint = (
            " The option mergeSchema adds the columns to the table: "
            "pyspark_lance.write(df, target, mode='append', merge_schema=True)."
        )
        return InvalidRequestError(text + hint, condition=condition, parameters=parameters)
    if condition.startswith("UNSUPPORTED_FEATURE."):
        return UnsupportedFeatureError(text, condition=condition, parameters=parameters)
    return None


def _is_ours(error: Exception) -> bool:
    """Returns whether a Lance table is missing, as opposed to files of another format."""
    traces = (getattr(error, name, None) for name in ("_stackTrace", "_stacktrace", "stackTrace"))
    return any(_NO_TABLE in trace for trace in traces if trace)


def no_table_at(path: str) -> NotFoundError:
    """Returns the error for a path without a table."""
    parameters = {"what": "table", "path": path}
    return NotFoundError(_no_table_at(path), condition="PATH_NOT_FOUND", parameters=parameters)


def _no_table_at(path: str) -> str:
    return (
        f"there is no Lance table at {path}. Write one with "
        f'pyspark_lance.write(df, "{path}"), or convert Parquet files with '
        "pyspark_lance.convert.from_parquet(spark, source, target)"
    )


def _by_text(error: Exception) -> LanceError | None:
    if not isinstance(error, PySparkException) and not hasattr(error, "java_exception"):
        return None  # identifies py4j's error without importing py4j
    remote = type(error).__module__ == "pyspark.errors.exceptions.connect"
    text = str(error)
    if _NO_CONNECTOR.search(text):
        return ConnectorNotLoadedError(remote)
    thrown = _THROWN.search(text)
    if thrown and (kind := _JVM_KINDS.get(thrown[1])):
        message = thrown[2].strip()
        return kind(message, parameters=_place(message))
    linkage = _LINKAGE.search(text)
    if linkage and "pysparklance" in text:
        return JarMismatchError(linkage[0].strip())
    return None


def _place(message: str) -> dict[str, str]:
    """Parses the location at the start of a message: `path: column "x", page 2: problem`."""
    if found := _PLACE.match(message):
        path, details = found.groups()
        parts = {name: part.search(details) for name, part in _PARTS.items()}
        known = {name: part[1] for name, part in parts.items() if part}
        return {"path": path, **known} if path else known
    path, colon, _ = message.partition(": ")
    return {"path": path} if colon and "/" in path and " " not in path else {}


def _plain(path: str | None) -> str | None:
    """Returns local paths without their scheme."""
    return None if path is None else re.sub(r"^file:(?://)?(?=/)", "", path)


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdigit() else None
