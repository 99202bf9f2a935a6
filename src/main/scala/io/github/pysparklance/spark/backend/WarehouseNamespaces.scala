// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.analysis.{
  NamespaceAlreadyExistsException,
  NoSuchNamespaceException,
  NonEmptyNamespaceException
}
import org.apache.spark.sql.connector.catalog.{
  Identifier,
  NamespaceChange,
  SupportsNamespaces,
  TableCatalog
}

import io.github.pysparklance.spark.common.LanceErrors

/** Implements the namespaces of a catalog with a [[Warehouse]]. */
private[spark] trait WarehouseNamespaces extends SupportsNamespaces { catalog: TableCatalog =>

  protected def warehouse: Warehouse

  /** Throws if a namespace does not exist. */
  final protected def checkNamespace(namespace: Array[String]): Unit =
    if (!namespaceExists(namespace)) throw new NoSuchNamespaceException(name() +: namespace)

  override def listNamespaces(): Array[Array[String]] = listNamespaces(Array.empty)

  override def listNamespaces(parent: Array[String]): Array[Array[String]] = {
    checkNamespace(parent)
    warehouse.namespaces(parent).map(parent :+ _).toArray
  }

  override def namespaceExists(namespace: Array[String]): Boolean = warehouse.exists(namespace)

  override def loadNamespaceMetadata(namespace: Array[String]): util.Map[String, String] = {
    checkNamespace(namespace)
    warehouse.properties(namespace).asJava
  }

  override def createNamespace(
      namespace: Array[String],
      metadata: util.Map[String, String]
  ): Unit =
    if (!warehouse.create(namespace, metadata.asScala.toMap))
      throw new NamespaceAlreadyExistsException(namespace)

  override def alterNamespace(namespace: Array[String], changes: NamespaceChange*): Unit = {
    checkNamespace(namespace)
    warehouse.alter(
      namespace,
      changes.map {
        case c: NamespaceChange.SetProperty => c.property() -> Some(c.value())
        case c: NamespaceChange.RemoveProperty => c.property() -> None
        case other => throw LanceErrors.rejected(s"the change of a namespace $other")
      }
    )
  }

  override def dropNamespace(namespace: Array[String], cascade: Boolean): Boolean = {
    val found = namespaceExists(namespace)
    if (found) {
      val inside = warehouse.namespaces(namespace)
      val tables = warehouse.tables(namespace)
      if (!cascade && (inside.nonEmpty || tables.nonEmpty))
        throw new NonEmptyNamespaceException(namespace)
      inside.foreach(n => dropNamespace(namespace :+ n, cascade))
      tables.foreach(t => dropTable(Identifier.of(namespace, t)))
      warehouse.drop(namespace, cascade)
    }
    found
  }
}
